/** A truth value as both databases hold it. */
export type Flag = 0 | 1;
