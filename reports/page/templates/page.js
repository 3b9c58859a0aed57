"use strict";
// Says what a mark of a chart stands for: to who points at it, and to who walks through the marks
// with the arrow keys. Without it the page lacks nothing else.
(() => {
  const reading = document.getElementById("reading");
  let shown = null;

  const hide = () => {
    if (shown) shown.classList.remove("read");
    shown = null;
    reading.hidden = true;
  };

  const place = () => {
    if (!shown) return;
    const at = shown.getBoundingClientRect();
    const own = reading.getBoundingClientRect();
    const room = document.documentElement.clientWidth - own.width - 8;
    reading.style.left = `${Math.max(8, Math.min(at.left + at.width / 2 - own.width / 2, room))}px`;
    reading.style.top = `${at.top - own.height > 12 ? at.top - own.height - 8 : at.bottom + 8}px`;
  };

  const show = (mark) => {
    if (mark === shown) return;
    hide();
    shown = mark;
    mark.classList.add("read");
    reading.textContent = mark.getAttribute("aria-label");
    reading.hidden = false;
    place();
  };

  for (const chart of document.querySelectorAll(".drawing > svg")) {
    const marks = [...chart.querySelectorAll(".data_marks > [aria-label]")];
    if (!marks.length) continue;

    const away = (mark, event) => {
      const at = mark.getBoundingClientRect();
      const x = Math.max(at.left - event.clientX, 0, event.clientX - at.right);
      const y = Math.max(at.top - event.clientY, 0, event.clientY - at.bottom);
      return x * x + y * y;
    };
    const nearest = (event) => {
      let best = null;
      let least = 40 * 40;
      for (const mark of marks) {
        const distance = away(mark, event);
        if (distance < least) [best, least] = [mark, distance];
      }
      best ? show(best) : hide();
    };
    chart.addEventListener("pointermove", nearest);
    chart.addEventListener("pointerdown", nearest);
    chart.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    chart.addEventListener("blur", hide);
    chart.addEventListener("keydown", (event) => {
      const at = marks.indexOf(shown);
      const last = marks.length - 1;
      const to = {
        ArrowRight: Math.min(at + 1, last),
        ArrowDown: Math.min(at + 1, last),
        ArrowLeft: Math.max(at - 1, 0),
        ArrowUp: Math.max(at - 1, 0),
        Home: 0,
        End: last,
      }[event.key];
      if (event.key === "Escape") hide();
      if (to === undefined) return;
      event.preventDefault();
      show(marks[to]);
    });
  }
  addEventListener("scroll", place, { passive: true });

  // In a notebook's frame a link to a part of the page would load the notebook into it.
  if (location.protocol === "about:") {
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (!link) return;
      event.preventDefault();
      document.getElementById(link.hash.slice(1)).scrollIntoView();
    });
  }
})();
