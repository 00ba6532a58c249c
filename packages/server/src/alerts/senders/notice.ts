import type { SecretText } from '../../runtime/secret-text.ts';

/** Where the notices of a channel go. */
export interface ChannelTarget {
  readonly kind: 'email' | 'webhook' | 'wecom' | 'dingtalk' | 'feishu';
  /** The URL of a webhook or a robot. */
  readonly url?: SecretText;
  /** Signs the requests: `whsec_…` of a webhook, the secret of a robot of DingTalk or Feishu. */
  readonly secret?: SecretText;
  /** Mail addresses. */
  readonly to?: readonly string[];
}

/** Something that somebody must hear of. It holds no personal data, no key material, and of a URL only the host. */
export interface Notice {
  readonly id: string;
  /** Dotted, such as `certificate.expiring`. */
  readonly type: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Null where it is about the instance. */
  readonly organization: { readonly id: string; readonly name: string } | null;
  /** An English sentence. */
  readonly subject: string;
  /** English sentences. */
  readonly detail: string;
}

export type SendResult =
  | {
      readonly kind: 'sent';
      /** How many of the notices, from the first one on: a message may not hold all. Absent: all. */
      readonly count?: number;
    }
  | {
      readonly kind: 'refused';
      /** The receiver's words, or why there are none. Without secrets. */
      readonly words: string;
      /** Whether the same may succeed later. */
      readonly retryable: boolean;
    };

/** @param count how many of the notices the message held */
export function sent(notices: readonly Notice[], count: number): SendResult {
  return count < notices.length ? { kind: 'sent', count } : { kind: 'sent' };
}

export function refused(words: string, retryable = true): SendResult {
  return { kind: 'refused', words, retryable };
}
