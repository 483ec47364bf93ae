export const DIMENSIONS = ['product', 'day', 'network', 'buyer'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
