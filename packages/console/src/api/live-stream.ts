import type { ChangeEvent } from '@waxwing/contract/management-api/operations/event-operations.ts';

/** The part of `EventSource` that is used. */
type LiveSource = Pick<EventSource, 'readyState' | 'addEventListener' | 'close'>;

/** The part of `document` that is used. */
type LiveDocument = Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'>;

interface LiveStreamNeeds {
  readonly open: (url: string) => LiveSource;
  readonly document: LiveDocument;
  /** Random, from 0 to 1: browsers that lost a server at the same moment must not return at the same moment. */
  readonly spread: () => number;
  /** Something of this kind has changed. */
  readonly onChange: (kind: string) => void;
  /** Changes may have been missed. */
  readonly onMissed: () => void;
  /** The connection is lost for long enough to tell people, or it is back. */
  readonly onConnection: (isLost: boolean) => void;
  /** The server refused the stream: the person's rights may have changed. */
  readonly onRefused: () => void;
}

/** One stream of changes at a time, open while the page is visible. */
export interface LiveStream {
  /** Listens at this address from now on; undefined: nowhere. */
  listenTo(url: string | undefined): void;
  end(): void;
}

const closed = 2;
/** A shorter interruption, as by a restart of the server, is not shown. */
const toldLostAfterMs = 2_000;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * Over HTTP/1.1 a browser has six connections to a server for all its tabs, so a hidden tab closes its stream. The
 * browser reconnects by itself after a broken connection, but not after an answer other than 200.
 */
export function createLiveStream(needs: LiveStreamNeeds): LiveStream {
  let url: string | undefined;
  let source: LiveSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let lostTimer: ReturnType<typeof setTimeout> | undefined;
  let isLost = false;
  /** True until the first opening: the page was read a moment before. */
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
