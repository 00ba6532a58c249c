import type { ReactNode } from 'react';

export type Tone = 'good' | 'soon' | 'bad' | 'info' | 'plain';

/** A word about a state. Its colours are readable in light and dark; those of antd's tags are not. */
export function Mark({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`mark figures ${tone}`}>{children}</span>;
}
