import { DnsFault } from '@waxwing/dns/dns-fault.ts';
import { receiverWords } from '../../../outbound/receiver-words.ts';
import { Problem } from '../../../runtime/problem.ts';
import type { DnsResult } from '../proofs/dns-provider.ts';
import type { ProviderAnswer } from './provider-request.ts';

/** What a provider refused, or why it could not be asked. */
export class ProviderFault extends Error {
  /** The provider's own. */
  readonly code: string;
  readonly temporary: boolean;

  constructor(
    words: string,
    { code = '', temporary = false }: { readonly code?: string; readonly temporary?: boolean } = {},
  ) {
    super(words);
    this.name = 'ProviderFault';
    this.code = code;
    this.temporary = temporary;
  }
}

/** Whether the same request may succeed later. */
export function isTemporaryStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** @throws ProviderFault unless an answer came */
export function answeredBy(answer: ProviderAnswer): Extract<ProviderAnswer, { kind: 'answered' }> {
  if (answer.kind === 'failed') throw new ProviderFault(answer.words, { temporary: answer.temporary });
  return answer;
}

/** A value of unknown kind, looked into without a check at each step. Anything missing is undefined. */
export class JsonView {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  static parse(text: string): JsonView {
    try {
      return new JsonView(JSON.parse(text));
    } catch {
      return new JsonView(undefined);
    }
  }

  get(name: string): JsonView {
    const value = this.#value;
    return new JsonView(
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    );
  }

  list(): readonly JsonView[] {
    return Array.isArray(this.#value) ? this.#value.map((item) => new JsonView(item)) : [];
  }

  /** Numbers as well: providers count their records by them. */
  text(): string | undefined {
    const value = this.#value;
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined;
  }

  get exists(): boolean {
    return this.#value !== undefined && this.#value !== null;
  }
}

/** Tells how an act ended. Throws errors of our own alone. @param secrets that a provider may repeat in its words */
export async function resultOf(secrets: readonly string[], act: () => Promise<void>): Promise<DnsResult> {
  try {
    await act();
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof DnsFault) {
      return { kind: 'failed', words: `A DNS message cannot be read or written (${error.code}).`, temporary: true };
    }
    if (error instanceof Problem) return { kind: 'failed', words: error.message, temporary: true };
    if (!(error instanceof ProviderFault)) throw error;
    return { kind: 'failed', words: receiverWords(error.message, secrets), temporary: error.temporary };
  }
}
