import { Input } from 'antd';
import { useEffect, useState } from 'react';
import { fromLocalField, toLocalField } from './local-time.ts';

export interface TimeFieldProps {
  readonly id?: string;
  readonly label: string;
  /** RFC 3339. */
  readonly value?: string | null | undefined;
  readonly onChange?: (at: string | null) => void;
  /** Inside the field, before the time: what it bounds. */
  readonly prefix?: string;
}

/**
 * A moment, chosen by the browser's own means: in its language, by its calendar. antd's calendar is not used: it fails
 * axe (columns that scroll without the keyboard, names that differ from what is read).
 */
export function TimeField({ id, label, value, onChange, prefix }: TimeFieldProps) {
  const shown = toLocalField(value);
  // What is typed halfway stays in the field while one is there, and is told to nobody.
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  return (
    <Input
      {...(id !== undefined && { id })}
      {...(prefix !== undefined && { prefix: <span className="quiet">{prefix}</span> })}
      className={text === '' ? 'time-field empty' : 'time-field'}
      type="datetime-local"
      aria-label={label}
      max="9999-12-31T23:59"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const at = fromLocalField(target.value);
        if (at !== undefined || target.value === '') onChange?.(at ?? null);
      }}
      onBlur={() => setText(shown)}
    />
  );
}
