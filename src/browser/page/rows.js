// Lists of rows as the page shows them, once it has been calm for `quiet` milliseconds, at the latest after `limit`. Every
// cell is given as text, or null where it is absent.

const cellText = (element, attribute) => (attribute ? element.getAttribute(attribute) : shownText(element));

// One part of an item or of a cell: none is null, several are an error that names them.
const part = (root, query, column) => {
  if (!query) return cellText(root, column.attribute);
  const found = inside(root, query);
  if (column.visible) return found.length > 0;
  if (found.length > 1) return { many: found.length };
  return found.length ? cellText(found[0], column.attribute) : null;
};

const items = async (query, root, columns, quiet, limit) => {
  const rests = await calm(quiet, limit);
  const found = query ? listed(query, root ?? document) : [];
  return { calm: rests, rows: found.map((item) => columns.map((column) => part(item, column.query, column))) };
};

// The repeated elements, displayed or to be scrolled to.
const listed = (query, root) => inside(root, query);

// A table as a grid, cells that span rows or columns repeated.
const grid = (table) => {
  const cells = [];
  const rows = [...table.rows].filter((row) => row.closest("table") === table && row.checkVisibility());
  rows.forEach((row, y) => {
    cells[y] ??= [];
    for (const cell of row.cells) {
      let x = 0;
      while (cells[y][x]) x += 1;
      const height = Math.min(cell.rowSpan || rows.length - y, rows.length - y);
      for (let down = 0; down < height; down += 1) {
        cells[y + down] ??= [];
        for (let right = 0; right < Math.min(cell.colSpan, 100); right += 1) cells[y + down][x + right] = cell;
      }
    }
  });
  return cells;
};

// The header is what stands in `thead`, otherwise the first row.
const table = async (element, columns, quiet, limit) => {
  const rests = await calm(quiet, limit);
  if (!element.isConnected) return { error: "it was drawn again" };
  const host = element.localName === "table" ? element : element.querySelector("table");
  if (!host) return { error: "it holds no table" };
  const cells = grid(host);
  const isHeader = (row) => row.length > 0 && row.every((cell) => cell.closest("thead") || cell.localName === "th");
  const firstBody = cells.findIndex((row) => !isHeader(row));
  const head = cells[firstBody === -1 ? cells.length - 1 : Math.max(firstBody - 1, 0)] ?? [];
  const bodyStart = firstBody === -1 ? cells.length : Math.max(firstBody, 1);
  const headers = head.map((cell) => normal(shownText(cell)));
  const places = columns.map((column) => headers.reduce((all, text, at) => (text === normal(column.header) ? [...all, at] : all), []));
  const wrong = places.findIndex((found) => found.length !== 1);
  if (wrong !== -1) {
    const many = places[wrong].length > 1 ? "more than one column" : "no column";
    return { error: `${many} “${columns[wrong].header}”; its columns are ${headers.map((text) => `“${text}”`).join(", ")}` };
  }
  // A cell as wide as the table is a message (“no records”), not a row.
  const message = (row) => headers.length > 1 && new Set(row).size === 1;
  const rows = cells.slice(bodyStart).filter((row) => row.length && !message(row));
  return {
    calm: rests,
    rows: rows.map((row) => columns.map((column, at) => {
      const cell = row[places[at][0]];
      return cell ? part(cell, column.query, column) : null;
    })),
  };
};
