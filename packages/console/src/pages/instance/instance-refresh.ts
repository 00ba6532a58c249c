/** Figures of the instance change without a notice, so pages read them this often. */
export const instanceRefreshMs = 5_000;
