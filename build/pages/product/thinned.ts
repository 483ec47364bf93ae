/** The first and the last of these points, and evenly spaced ones between them: as many as a chart has room for, at least two. */
export function thinned<T>(points: readonly T[], most: number): readonly T[] {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({length: most}, (_, index) => points[Math.round(index * step)] as T);
}
