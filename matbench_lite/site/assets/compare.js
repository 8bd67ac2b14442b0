// The page of comparisons: choose entries, see who is better on each task, by how much, with what certainty.
// Its data is in a script of its own (mblComparison): scores by fold, and what is said of pairs of entries.
"use strict";

const mblStatistics = {
  mean: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,

  std(values) {
    const mean = this.mean(values);
    return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  },
};

// Numbers as text, as in matbench_lite.text.
const mblDigits = {
  decimals: (uncertainty) => Math.min(100, Math.max(0, 1 - Math.floor(Math.log10(uncertainty)))),
  signed: (value, digits) => (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(digits),
  spread(values) {
    const [mean, std] = [mblStatistics.mean(values), mblStatistics.std(values)];
    if (!(std > 0)) return String(Number(mean.toPrecision(4)));
    const digits = this.decimals(std);
    return `${mean.toFixed(digits)} ± ${std.toFixed(digits)}`;
  },
  interval(low, high) {
    const half = (high - low) / 2;
    const digits = half > 0 ? this.decimals(half) : 3;
    return `${this.signed(low, digits)} to ${this.signed(high, digits)}`;
  },
  p: (p) => (p < 0.001 ? "< 0.001" : p < 0.1 ? String(Number(p.toPrecision(2))) : p.toFixed(2)),
  share(value) {
    const percent = 100 * value;
    if (!(value > 0 && value < 1) || (percent >= 9.95 && percent <= 99)) return `${percent.toFixed(0)} %`;
    if (percent < 99) return percent >= 0.01 ? `${Number(percent.toPrecision(2))} %` : "< 0.01 %";
    return percent > 99.99 ? "> 99.99 %" : `${percent.toFixed(percent < 99.95 ? 1 : 2)} %`;
  },
};

class MblCompare {
  constructor(element, data) {
    this.data = data;
    this.choose = element.querySelector(".mbl-choose");
    this.headline = element.querySelector(".mbl-headline");
    this.output = element.querySelector(".mbl-comparison");
    this.model = this.output.querySelector(".mbl-board").cloneNode(true); // what the table of a pair looks like
    this.places = new Map(data.entries.map((entry, place) => [entry.slug, place]));
    this.first = [...element.querySelectorAll("thead th[data-key]")].map((head) => this.places.get(head.dataset.key));
    this.first = this.first.filter((place) => place !== undefined);
    this.choose.hidden = false;
    addEventListener("hashchange", () => this.restore());
    this.restore();
  }

  restore() {
    const named = (mblAddress.read().get("entries") ?? "").split(",").map((slug) => this.places.get(slug));
    const known = [...new Set(named.filter((place) => place !== undefined))];
    for (const place of this.first) if (known.length < 2 && !known.includes(place)) known.push(place);
    this.show(known);
  }

  change(chosen) {
    const address = mblAddress.read();
    address.set("entries", chosen.map((place) => this.data.entries[place].slug).join(","));
    mblAddress.write(address);
    this.show(chosen);
  }

  show(chosen) {
    this.chosen = chosen;
    this.selects();
    const tasks = this.data.tasks.map((task) => this.compare(task)).filter((rows) => rows.length);
    this.headline.textContent = this.sentence(tasks.flat(), tasks.length);
    this.output.replaceChildren();
    this.pairs(chosen).forEach(([first, second], at) => {
      const rows = tasks.flat().filter((row) => row.first === first && row.second === second);
      this.table(first, second, rows, at);
    });
  }

  pairs(places) {
    return places.flatMap((first, at) => places.slice(at + 1).map((second) => [first, second]));
  }

  selects() {
    const label = (text) => Object.assign(document.createElement("span"), { className: "mbl-filter-name", textContent: text });
    const boxes = this.chosen.map((place, at) => {
      const select = document.createElement("select");
      select.setAttribute("aria-label", `Entry ${at + 1}`);
      for (const [other, entry] of this.data.entries.entries()) {
        const taken = other !== place && this.chosen.includes(other);
        select.append(Object.assign(new Option(entry.name, other, false, other === place), { disabled: taken }));
      }
      select.addEventListener("change", () => {
        this.change(this.chosen.with(at, Number(select.value)));
        this.choose.querySelectorAll("select")[at].focus();
      });
      return select;
    });
    const button = (text, act) => {
      const made = Object.assign(document.createElement("button"), { type: "button", className: "mbl-chip", textContent: text });
      made.addEventListener("click", act);
      return made;
    };
    const free = this.data.entries.findIndex((_, place) => !this.chosen.includes(place));
    const more = free >= 0 && this.chosen.length < 5 ? [button("add an entry", () => this.change([...this.chosen, free]))] : [];
    const less = this.chosen.length > 2 ? [button("remove the last", () => this.change(this.chosen.slice(0, -1)))] : [];
    this.choose.replaceChildren(label("entries"), ...boxes, ...more, ...less);
  }

  // One row per pair of chosen entries that both have the task.
  compare(task) {
    const listed = this.chosen.filter((place) => task.scores[place]);
    const pairs = this.pairs(listed);
    return pairs.map(([first, second]) => {
      const said = this.known(task, first, second);
      const winner = said?.word === "better" ? first : said?.word === "worse" ? second : null;
      return { task, first, second, said, winner };
    });
  }

  // What is said of a pair, turned round where the data has it the other way; null where the page does not have it.
  known(task, first, second) {
    const turned = { better: "worse", worse: "better" };
    for (const [a, b, word, low, high, p, won, lost] of task.pairs) {
      if (a === first && b === second) return { word, low, high, p, won, lost };
      if (a === second && b === first) return { word: turned[word] ?? word, low: -high, high: -low, p, won: lost, lost: won };
    }
    return null;
  }

  name(place) {
    return this.data.entries[place].name;
  }

  sentence(rows, tasks) {
    if (!rows.length) return "There is no task that these entries have in common.";
    const common = `${tasks} ${tasks === 1 ? "task" : "tasks"}`;
    const said = rows.filter((row) => row.said).map((row) => row.said.word);
    if (!said.length) return `${common} in common; without targets, nothing says who is better.`;
    const number = (words) => said.filter((word) => words.includes(word)).length;
    const even = ["equivalent", "not told apart"].filter((word) => said.includes(word)).map((word) => `${number([word])} ${word}`);
    if (this.chosen.length > 2) {
      const decided = `one is better in ${number(["better", "worse"])}`;
      return `${common}, ${rows.length} comparisons: ${[decided, ...even].join(", ")}.`;
    }
    const better = this.chosen.map((place) => `${this.name(place)} is better on ${rows.filter((row) => row.winner === place).length}`);
    return `${common} in common: ${[...better, ...even].join(", ")}.`;
  }

  table(first, second, rows, at) {
    const title = `${this.name(first)} and ${this.name(second)}`;
    if (this.chosen.length > 2) this.output.append(Object.assign(document.createElement("h3"), { textContent: title }));
    const board = this.model.cloneNode(true);
    if (at) board.id += `-${at + 1}`;
    board.dataset.label = title;
    board.querySelector(".mbl-scroll").setAttribute("aria-label", title);
    [first, second].forEach((place, which) => {
      const head = board.querySelectorAll("thead th")[3 + which];
      const box = board.querySelector(`[data-column="${CSS.escape(head.dataset.key)}"]`);
      head.dataset.key = this.data.entries[place].slug;
      head.querySelector("bdi, span").textContent = this.name(place);
      if (box) {
        box.dataset.column = head.dataset.key;
        box.nextSibling.textContent = " " + this.name(place);
      }
    });
    if (rows.length) board.querySelector("tbody").replaceChildren(...rows.map((row) => this.row(row)));
    else this.empty(board);
    this.output.append(board);
    new MblBoard(board);
  }

  empty(board) {
    const line = document.createElement("tr");
    const cell = this.cell("td", "There is no task that these entries have in common.", "", "mbl-empty");
    cell.colSpan = 8;
    line.append(cell);
    board.querySelector("tbody").replaceChildren(line);
  }

  row({ task, first, second, said, winner }) {
    const line = document.createElement("tr");
    const link = Object.assign(document.createElement("a"), { href: task.page, textContent: task.name });
    const name = this.cell("th", "", "", "name");
    name.scope = "row";
    name.append(link);
    const score = (place) => {
      const cell = this.cell("td", mblDigits.spread(task.scores[place]), "", place === winner ? "n leading" : "n");
      cell.dataset.v = mblStatistics.mean(task.scores[place]);
      if (task.stated.includes(place)) cell.append("†");
      return cell;
    };
    const difference = this.cell("td", said ? mblDigits.interval(said.low, said.high) : mblMissing, "", "n");
    difference.dataset.v = said ? `${said.low} to ${said.high}` : "";
    const certainty = this.cell("td", said ? mblDigits.p(said.p) : mblMissing, "", "n");
    certainty.dataset.v = said ? said.p : "";
    const verdict = winner === null ? (said ? said.word : mblMissing) : `${this.name(winner)} is better`;
    line.append(
      name,
      this.cell("td", verdict, "", winner === null ? "entry" : "entry leading"),
      this.cell("td", task.metric, task.unit, ""),
      score(first),
      score(second),
      difference,
      certainty,
      this.cell("td", said ? `${mblDigits.share(said.won)}, ${mblDigits.share(said.lost)}` : mblMissing, "", "n"),
    );
    return line;
  }

  // Texts are set as texts: nothing of an entry is ever parsed as HTML.
  cell(tag, text, small, kind) {
    const cell = document.createElement(tag);
    if (kind) cell.className = kind;
    cell.append(Object.assign(document.createElement("bdi"), { textContent: text }));
    if (small) cell.append(" ", Object.assign(document.createElement("small"), { textContent: small }));
    return cell;
  }
}

if (document.getElementById("mbl-compare") && window.mblComparison) {
  new MblCompare(document.getElementById("mbl-compare"), window.mblComparison);
}
