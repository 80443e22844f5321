// The report from the page's data: notes, figures, tables.

const main = document.getElementById("report");
main.classList.toggle("wide", report.figures.some((spec) => spec.columns > 1));
main.replaceChildren(
  html("h1", {}, report.title),
  ...report.notes.map((note) => html("p", {}, note)),
  ...report.figures.map(figure),
  ...report.tables.map(table),
);
document.body.append(tip);
