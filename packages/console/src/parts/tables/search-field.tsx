import { Input } from 'antd';
import { useEffect, useState } from 'react';
import { typingPauseMs } from '../forms/typing-pause.ts';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onSearch: (text: string | undefined) => void;
}

/** Searches after a pause in typing, or at once on Enter. */
export function SearchField({ label, value = '', onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  // A trailing space stays while typing, although the searched text comes back without it.
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(text.trim() || undefined), typingPauseMs);
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
      onSearch={(entered) => onSearch(entered.trim() || undefined)}
    />
  );
}
