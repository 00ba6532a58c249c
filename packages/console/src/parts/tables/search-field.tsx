import { Input } from 'antd';
import { useEffect, useEffectEvent, useState } from 'react';
import { typingPauseMs } from '../forms/typing-pause.ts';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onSearch: (text: string | undefined) => void;
}

/**
 * Searches after a pause in typing, or at once on Enter and when the field is left: a search that began after a click on
 * a link would lead back.
 */
export function SearchField({ label, value = '', onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [isTyping, setTyping] = useState(false);
  // A trailing space stays while typing, although the searched text comes back without it.
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  const search = (typed: string) => {
    setTyping(false);
    if (typed.trim() !== value) onSearch(typed.trim() || undefined);
  };
  const searchLater = useEffectEvent(search);
  useEffect(() => {
    if (!isTyping) return undefined;
    const timer = setTimeout(() => searchLater(text), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text, isTyping]);
  return (
    <Input.Search
      className="search"
      aria-label={label}
      placeholder={label}
      allowClear
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        setTyping(true);
      }}
      onBlur={() => search(text)}
      onSearch={search}
    />
  );
}
