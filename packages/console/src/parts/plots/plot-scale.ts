/** How figures become positions in a plot. Pure. */

/** The least of 1, 2, 5, 10, 20, 50, … that no value exceeds. */
export function ceilingOf(values: readonly (number | null)[]): number {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

interface Line {
  /** SVG path data; empty if no two neighbours have a value. */
  readonly path: string;
  /** Points without a neighbour, which no line shows. */
  readonly alone: readonly Place[];
}

/** A line through the known places, broken where one is missing. */
export function lineThrough(places: readonly (Place | undefined)[]): Line {
  const pieces: Place[][] = [];
  for (const [index, place] of places.entries()) {
    if (place === undefined) continue;
    if (places[index - 1] === undefined) pieces.push([]);
    pieces.at(-1)?.push(place);
  }
  const numberText = (value: number) => String(Math.round(value * 10) / 10);
  return {
    path: pieces
      .filter(({ length }) => length > 1)
      .map((piece) => `M${piece.map(({ x, y }) => `${numberText(x)} ${numberText(y)}`).join('L')}`)
      .join(''),
    alone: pieces.flatMap((piece) => (piece.length === 1 ? piece : [])),
  };
}
