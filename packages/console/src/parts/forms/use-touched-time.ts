import { App } from 'antd';
import { type RefObject, useEffect } from 'react';

/** On touch screens, where nothing hovers, a touch on a time shows its instant in UTC for a moment. */
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
