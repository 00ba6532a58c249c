/** Figures of the instance change without a notice; so often they are asked for while somebody looks. */
export const instanceRefreshMs = 5_000;
