/** The source of time of sessions and links. */
export interface MonotonicClock {
  /** Milliseconds from an arbitrary start. Never jumps or runs backwards. */
  now(): number;
}
