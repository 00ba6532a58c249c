import { Input } from 'antd';
import { useEffect, useState } from 'react';
import { fromLocalMoment, toLocalMoment } from './local-moment.ts';

export interface MomentFieldProps {
  readonly id?: string;
  /** For whoever cannot see what stands beside it. */
  readonly label: string;
  /** RFC 3339. */
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A date and time in the browser's zone, entered the browser's way. */
export function MomentField({ id, label, value, onChange }: MomentFieldProps) {
  const shown = value === undefined ? '' : toLocalMoment(value);
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  return (
    <Input
      {...(id !== undefined && { id })}
      type="datetime-local"
      className={text === '' ? 'moment empty' : 'moment'}
      aria-label={label}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const at = fromLocalMoment(target.value);
        if (at !== undefined || target.value === '') onChange(at);
      }}
    />
  );
}
