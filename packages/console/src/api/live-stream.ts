import type { ChangeEvent } from '@waxwing/contract/management-api/event-operations.ts';

/** The part of `EventSource` that is used. */
export type LiveSource = Pick<EventSource, 'readyState' | 'addEventListener' | 'close'>;

/** The part of `document` that is used. */
export type LiveDocument = Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'>;

export interface LiveStreamNeeds {
  readonly open: (url: string) => LiveSource;
  readonly document: LiveDocument;
  /** From 0 to 1, another at each call: browsers that a server has lost at once do not come back at once. */
  readonly spread: () => number;
  /** Something of this kind is no longer what it was. */
  readonly onChange: (kind: string) => void;
  /** There may have been changes that nobody has told of. */
  readonly onMissed: () => void;
  /** Nothing has come from the server for a while that is long enough to tell people; or it does again. */
  readonly onConnection: (isLost: boolean) => void;
  /** The server lets nobody in: who one is may have changed. */
  readonly onRefused: () => void;
}

/** One stream of changes at a time, kept open as long as somebody can see the page. */
export interface LiveStream {
  /** Listens there from now on; undefined: nowhere. */
  listenTo(url: string | undefined): void;
  end(): void;
}

const closed = 2;
/** A stream that ends and begins again within this time, as when a server restarts, is not shown as lost. */
const toldLostAfterMs = 2_000;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * Over HTTP/1.1 a browser has six connections to a server for all its tabs: one that nobody sees gives its own back.
 * After broken connections the browser comes back by itself, but after any answer other than 200 never again.
 */
export function createLiveStream(needs: LiveStreamNeeds): LiveStream {
  let url: string | undefined;
  let source: LiveSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let lostTimer: ReturnType<typeof setTimeout> | undefined;
  let isLost = false;
  /** Until it first opens: what is shown was read a moment ago. */
  let isWhole = true;

  function lose(): void {
    if (isLost) return;
    lostTimer ??= setTimeout(() => {
      isLost = true;
      needs.onConnection(true);
    }, toldLostAfterMs);
  }

  function regain(): void {
    clearTimeout(lostTimer);
    lostTimer = undefined;
    if (isLost) needs.onConnection(false);
    isLost = false;
  }

  function close(): void {
    regain();
    source?.close();
    source = undefined;
    clearTimeout(timer);
    timer = undefined;
  }

  function open(at: string): void {
    timer = undefined;
    const opened = needs.open(at);
    source = opened;
    opened.addEventListener('open', () => {
      if (source !== opened) return;
      failures = 0;
      regain();
      if (!isWhole) needs.onMissed();
      isWhole = false;
    });
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      isWhole = false;
      lose();
      if (opened.readyState !== closed) return;
      const pause = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
      failures += 1;
      timer = setTimeout(() => open(at), pause * (0.5 + needs.spread() / 2));
      source = undefined;
      needs.onRefused();
    });
    opened.addEventListener('change', (event: Event) => {
      if (source === opened) needs.onChange((JSON.parse((event as MessageEvent<string>).data) as ChangeEvent).kind);
    });
  }

  function onVisibility(): void {
    close();
    failures = 0;
    if (url === undefined) return;
    if (needs.document.hidden) isWhole = false;
    else open(url);
  }

  needs.document.addEventListener('visibilitychange', onVisibility);
  return {
    listenTo(next) {
      if (next === url) return;
      if (url !== undefined) isWhole = false;
      url = next;
      onVisibility();
    },
    end() {
      needs.document.removeEventListener('visibilitychange', onVisibility);
      url = undefined;
      close();
    },
  };
}
