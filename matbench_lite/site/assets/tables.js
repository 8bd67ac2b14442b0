// Tables: sort, filter, choose columns, keep the state in the address, copy and download.
// A table is complete without this script; everything here is on top of what is on the page.
"use strict";

const mblMissing = "–";
const mblMostRows = 100; // so many are shown until somebody asks for all: a browser lays out a table as a whole

// The state of all tables of a page, after "#": "board.sort=-score&board.category=general-purpose". Pages that are opened
// from a folder may change nothing else of their address.
const mblAddress = {
  read() {
    const text = location.hash.slice(1);
    return new URLSearchParams(text.includes("=") ? text : "");
  },
  write(parameters) {
    const text = parameters.toString();
    if (text || location.hash.includes("=")) history.replaceState(null, "", "#" + text);
  },
};

// Copies a text, and says so in `button`.
async function mblCopy(text, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // No clipboard, e.g. a page that was opened from a folder in some browsers: the old way.
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  const label = button.textContent;
  button.textContent = done ? "Copied" : "Copying is not allowed here";
  setTimeout(() => (button.textContent = label), 1500);
}

function mblDownload(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A spreadsheet takes a text that begins like a formula for one; a number is a number.
function mblCsvCell(text) {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function mblMarkdownCell(text) {
  return text.replace(/[\\|<>[\]`*_]/g, "\\$&").replace(/\s+/g, " ");
}

class MblBoard {
  constructor(element) {
    element.querySelectorAll(".mbl-sort, .mbl-all").forEach((part) => part.remove()); // of a table that is copied
    this.element = element;
    this.id = element.id;
    this.body = element.querySelector("tbody");
    this.rows = [...this.body.rows].filter((row) => !row.querySelector(".mbl-empty"));
    this.rows.forEach((row, place) => (row.place = place));
    this.heads = [...element.querySelectorAll("thead th")];
    this.keys = this.heads.map((head) => head.dataset.key);
    this.boxes = [...element.querySelectorAll("[data-column]")];
    this.chips = [...element.querySelectorAll("button.mbl-chip")];
    this.find = element.querySelector(".mbl-find");
    this.style = element.querySelector("style");
    this.shown = this.boxes.map((box) => box.checked);
    this.sort = null; // { key, down }
    this.most = mblMostRows;
    this.more = document.createElement("button");
    Object.assign(this.more, { type: "button", className: "mbl-chip mbl-all", hidden: true });
    element.querySelector(".mbl-scroll").after(this.more);
    this.listen();
    this.restore();
  }

  // What a cell holds: all digits where it has them, else its text.
  value(row, place) {
    const cell = row.cells[place];
    return cell.dataset.v ?? cell.textContent.trim();
  }

  listen() {
    for (const [place, head] of this.heads.entries()) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "mbl-sort";
      button.setAttribute("aria-label", `Sort by ${head.textContent.trim()}`);
      head.append(button);
      // All of the header sorts, but for a link in it.
      head.addEventListener("click", (event) => {
        if (event.target.closest("a")) return;
        const key = this.keys[place];
        const first = head.hasAttribute("data-down");
        this.sort = { key, down: this.sort?.key === key ? !this.sort.down : first };
        this.order();
        this.save();
      });
    }
    this.element.addEventListener("click", (event) => {
      const chip = event.target.closest(".mbl-chip");
      const button = chip && this.chipOf(chip);
      if (button) {
        button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
        this.filter();
        this.save();
      }
      const what = event.target.closest("[data-do]")?.dataset.do;
      if (what) this.take(what, event.target);
    });
    for (const box of this.boxes) {
      box.addEventListener("change", () => {
        this.columns();
        this.save();
      });
    }
    this.more.addEventListener("click", () => {
      this.most = Infinity;
      this.filter();
    });
    this.find?.addEventListener("input", () => {
      this.filter();
      this.save();
    });
  }

  // The chip above the table that stands for one in a row.
  chipOf(chip) {
    if (this.chips.includes(chip)) return chip;
    const key = chip.dataset.filter;
    return this.chips.find(
      (other) => other.parentElement.dataset.filter === key && other.dataset.value === chip.textContent,
    );
  }

  order() {
    const place = this.keys.indexOf(this.sort?.key);
    this.heads.forEach((head, at) => {
      if (at === place) head.setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const sorted = place < 0 ? this.rows : this.sorted(place);
    this.body.append(...sorted);
    this.filter(); // other rows are the first now
  }

  sorted(place) {
    const values = new Map(this.rows.map((row) => [row, this.value(row, place)]));
    const isKnown = (row) => !["", mblMissing].includes(values.get(row));
    const known = this.rows.filter(isKnown);
    const unknown = this.rows.filter((row) => !isKnown(row));
    const numeric = this.heads[place].classList.contains("n");
    const numbers = new Map(known.map((row) => [row, parseFloat(values.get(row))]));
    const sign = this.sort.down ? -1 : 1;
    const words = new Intl.Collator("en", { numeric: true });
    known.sort((a, b) => {
      const difference = numeric ? numbers.get(a) - numbers.get(b) : words.compare(values.get(a), values.get(b));
      return sign * difference || a.place - b.place;
    });
    return [...known, ...unknown]; // what is missing is last, whichever way
  }

  filter() {
    const wanted = new Map();
    for (const chip of this.chips) {
      if (chip.getAttribute("aria-pressed") !== "true") continue;
      const key = "data-f-" + chip.parentElement.dataset.filter;
      wanted.set(key, [...(wanted.get(key) ?? []), chip.dataset.value]);
    }
    const text = this.find?.value.trim().toLowerCase() ?? "";
    const names = this.heads.findIndex((head) => head.classList.contains("name"));
    let count = 0;
    for (const row of this.body.rows) {
      if (row.place === undefined) continue; // says that there is no row
      const fits = [...wanted].every(([key, values]) => {
        const has = (row.getAttribute(key) ?? "").split("|");
        return values.some((value) => has.includes(value));
      });
      const found = !text || this.value(row, names).toLowerCase().includes(text);
      row.fits = fits && found;
      count += row.fits;
      const shown = row.fits && count <= this.most;
      if (row.hidden === shown) row.hidden = !shown;
    }
    this.more.hidden = count <= this.most;
    this.more.textContent = `Show all ${count}`;
    const status = this.element.querySelector(".mbl-count");
    if (status) status.textContent = count < this.rows.length ? `${count} of ${this.rows.length}` : "";
  }

  columns() {
    const hidden = this.boxes.filter((box) => !box.checked).map((box) => this.keys.indexOf(box.dataset.column) + 1);
    const rules = hidden.map((place) => `#${CSS.escape(this.id)} tr>:nth-child(${place})`);
    this.style.textContent = rules.length ? `${rules.join(",")}{display:none}` : "";
  }

  save() {
    const address = mblAddress.read();
    for (const key of [...address.keys()]) if (key.startsWith(this.id + ".")) address.delete(key);
    const put = (key, value) => value && address.set(`${this.id}.${key}`, value);
    put("sort", this.sort && (this.sort.down ? "-" : "") + this.sort.key);
    for (const chip of this.chips) {
      if (chip.getAttribute("aria-pressed") === "true") {
        address.append(`${this.id}.${chip.parentElement.dataset.filter}`, chip.dataset.value);
      }
    }
    put("find", this.find?.value.trim());
    const changed = this.boxes.filter((box, at) => box.checked !== this.shown[at]);
    put("columns", changed.map((box) => (box.checked ? "" : "-") + box.dataset.column).join(","));
    mblAddress.write(address);
  }

  restore() {
    const address = mblAddress.read();
    const get = (key) => address.get(`${this.id}.${key}`) ?? "";
    const sort = get("sort");
    const key = sort.replace(/^-/, "");
    this.sort = this.keys.includes(key) ? { key, down: sort.startsWith("-") } : null;
    for (const chip of this.chips) {
      const chosen = address.getAll(`${this.id}.${chip.parentElement.dataset.filter}`);
      chip.setAttribute("aria-pressed", chosen.includes(chip.dataset.value));
    }
    if (this.find) this.find.value = get("find");
    const changed = get("columns").split(",");
    this.boxes.forEach((box, at) => {
      const name = box.dataset.column;
      box.checked = changed.includes(name) || (this.shown[at] && !changed.includes("-" + name));
    });
    if (this.sort || this.rows.some((row, place) => this.body.rows[place] !== row)) this.order();
    else this.filter();
    this.columns();
  }

  // Header and rows as they are to be seen now: chosen columns, chosen rows, in this order; those after the first, too.
  seen() {
    const off = this.boxes.filter((box) => !box.checked).map((box) => box.dataset.column);
    const places = this.keys.map((_, place) => place).filter((place) => !off.includes(this.keys[place]));
    const rows = [...this.body.rows].filter((row) => row.fits);
    return { places, rows };
  }

  take(what, button) {
    const name = `${this.element.dataset.label.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`;
    if (what === "copy-csv") mblCopy(this.csv(), button);
    if (what === "copy-markdown") mblCopy(this.markdown(), button);
    if (what === "copy-bibtex") this.bibtex((text) => mblCopy(text, button));
    if (what === "download-csv") mblDownload(this.csv(), name);
  }

  csv() {
    const { places, rows } = this.seen();
    const lines = [places.map((place) => this.keys[place])];
    for (const row of rows) lines.push(places.map((place) => this.value(row, place).replace(mblMissing, "")));
    return lines.map((line) => line.map(mblCsvCell).join(",") + "\n").join("");
  }

  markdown() {
    const { places, rows } = this.seen();
    const text = (cell) => {
      const copy = cell.cloneNode(true);
      copy.querySelectorAll(".mbl-chip, .mbl-sort").forEach((part) => part.remove());
      return mblMarkdownCell(copy.textContent.trim());
    };
    const right = places.map((place) => (this.heads[place].classList.contains("n") ? "--:" : "---"));
    const lines = [places.map((place) => text(this.heads[place])), right];
    for (const row of rows) lines.push(places.map((place) => text(row.cells[place])));
    return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
  }

  // The references are in a script of their own, which is loaded when somebody asks for them.
  bibtex(then) {
    const give = () => {
      const slugs = this.seen().rows.map((row) => row.dataset.slug);
      then(slugs.map((slug) => window.mblBibtex[slug] ?? "").filter(Boolean).join("\n\n") || "% no references are recorded\n");
    };
    if (window.mblBibtex) return give();
    const script = document.createElement("script");
    script.src = this.element.dataset.bibtex;
    script.onload = give;
    document.head.append(script);
  }
}

{
  const boards = [...document.querySelectorAll(".mbl-board")].map((element) => new MblBoard(element));
  addEventListener("hashchange", () => boards.forEach((board) => board.restore()));
  // A menu closes when something else is clicked, and on Escape.
  const menus = (except) => document.querySelectorAll(".mbl-menu[open]").forEach((menu) => menu !== except && (menu.open = false));
  addEventListener("click", (event) => menus(event.target.closest(".mbl-menu")));
  addEventListener("keydown", (event) => event.key === "Escape" && menus(null));
}
