import { App } from 'antd';
import { type RefObject, useEffect } from 'react';

/** Where nothing hovers, a touch tells the instant of a time in UTC: for as long as it takes to read. */
export function useTouchedTime(within: RefObject<HTMLElement | null>): void {
  const { message } = App.useApp();
  useEffect(() => {
    const element = within.current;
    if (element === null) return undefined;
    const tell = (event: PointerEvent) => {
      const time = event.target instanceof Element ? event.target.closest('time') : null;
      if (event.pointerType === 'touch' && time !== null) message.info({ content: time.dateTime, key: 'touched-time' });
    };
    element.addEventListener('pointerup', tell);
    return () => element.removeEventListener('pointerup', tell);
  }, [within, message]);
}
