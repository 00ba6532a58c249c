import type { Lease } from '../../runtime/lease.ts';

/** Counts attempts and outcomes that are under way, by the lease under which they were begun. */
export class AttemptsInFlight {
  readonly #byLease = new Map<string, number>();
  readonly #whenNone: (() => void)[] = [];
  #total = 0;

  begin({ name }: Lease): void {
    this.#total += 1;
    this.#byLease.set(name, (this.#byLease.get(name) ?? 0) + 1);
  }

  end({ name }: Lease): void {
    this.#total -= 1;
    const left = (this.#byLease.get(name) ?? 1) - 1;
    if (left > 0) this.#byLease.set(name, left);
    else this.#byLease.delete(name);
    if (this.#total === 0) for (const resolve of this.#whenNone.splice(0)) resolve();
  }

  get isNone(): boolean {
    return this.#total === 0;
  }

  /** Whether nothing is under way under the lease of this name. */
  isIdle(lease: string): boolean {
    return !this.#byLease.has(lease);
  }

  /** Resolves when nothing is under way at all. */
  async none(): Promise<void> {
    if (this.#total > 0) await new Promise<void>((resolve) => this.#whenNone.push(resolve));
  }
}
