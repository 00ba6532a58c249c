import { Input } from 'antd';
import { useEffect, useState } from 'react';
import { typingPauseMs } from './typing-pause.ts';

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Searches when one stops typing, at once by Enter. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  // A space that stands at the end for now is kept: what is searched for comes back without it.
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(text.trim()), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <Input.Search
      className="search"
      aria-label={label}
      placeholder={label}
      allowClear
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onSearch={(entered) => onSearch(entered.trim())}
    />
  );
}
