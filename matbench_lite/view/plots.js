// Hover over plots: the text of a mark at the pointer. Without this script the browser shows the same texts by itself.
(function () {
  "use strict";
  var tip = null;

  // Titles become data: else the browser would show its own tip over ours.
  function takeTitles(plot) {
    plot.dataset.ready = "true";
    plot.querySelectorAll("g > title, text > title").forEach(function (title) {
      title.parentNode.dataset.tip = title.textContent;
      title.remove();
    });
    var title = plot.querySelector(":scope > title");
    if (title) {
      plot.setAttribute("aria-label", title.textContent);
      plot.setAttribute("aria-describedby", (plot.querySelector(":scope > desc") || {}).id || "");
      plot.removeAttribute("aria-labelledby");
      title.remove();
    }
  }

  // Where the pointer is, in the units of a drawing or of a part of it.
  function pointerIn(part, event) {
    var matrix = part.getScreenCTM().inverse();
    return { x: matrix.a * event.clientX + matrix.e, y: matrix.d * event.clientY + matrix.f };
  }

  // The place in a list of the nearest point within reach; -1 if there is none.
  function nearest(points, at, reach) {
    var best = -1, least = reach * reach;
    points.forEach(function (point, index) {
      var distance = (point[0] - at.x) * (point[0] - at.x) + (point[1] - at.y) * (point[1] - at.y);
      if (distance < least) { least = distance; best = index; }
    });
    return best;
  }

  // Points of a path: steps "mx yh0mx yh0…" and, for each, "formula|true|predicted;…".
  function pointText(path, event) {
    if (!path.points) {
      var x = 0, y = 0;
      path.points = path.getAttribute("d").slice(1).split("m").map(function (step) {
        var parts = step.split(/[ h]/);
        x += Number(parts[0]);
        y += Number(parts[1]);
        return [x, y];
      });
      path.texts = path.dataset.points.split(";");
    }
    var found = nearest(path.points, pointerIn(path, event), 24);
    if (found < 0) return "";
    var parts = path.texts[found].split("|"), unit = path.dataset.unit ? " " + path.dataset.unit : "";
    return parts[0] + ": true " + parts[1] + unit + ", predicted " + parts[2] + unit;
  }

  // Cells whose text has a tip: the whole cell around the text shows it.
  function cellText(plot, event) {
    if (!plot.tipped) {
      plot.tipped = Array.from(plot.querySelectorAll("text[data-tip]"));
      plot.centres = plot.tipped.map(function (text) { return [Number(text.getAttribute("x")), Number(text.getAttribute("y")) - 5]; });
    }
    var found = nearest(plot.centres, pointerIn(plot, event), 15);
    return found < 0 ? "" : plot.tipped[found].dataset.tip;
  }

  function textAt(event) {
    var plot = event.target.closest && event.target.closest(".mbl-plot");
    if (!plot) return "";
    if (!plot.dataset.ready) takeTitles(plot);
    var mark = event.target.closest("[data-tip]");
    if (mark) return mark.dataset.tip;
    var path = plot.querySelector("[data-points]");
    return path ? pointText(path, event) : cellText(plot, event);
  }

  document.addEventListener("pointermove", function (event) {
    var text = textAt(event);
    if (!text) { if (tip) tip.hidden = true; return; }
    if (!tip) {
      tip = document.createElement("div");
      tip.className = "mbl-tip";
      tip.setAttribute("aria-hidden", "true");
      document.body.appendChild(tip);
    }
    tip.textContent = text;
    tip.hidden = false;
    var box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 4)) + "px";
    tip.style.top = (event.clientY + 20 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18) + "px";
  });
})();
