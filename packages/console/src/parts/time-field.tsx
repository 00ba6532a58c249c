import { DatePicker } from 'antd';
import dayjs from 'dayjs';
// What months and days are called there; English is built in.
import 'dayjs/locale/zh-cn';

export interface TimeFieldProps {
  readonly id?: string;
  readonly label: string;
  readonly placeholder?: string;
  /** RFC 3339. */
  readonly value?: string | null | undefined;
  readonly onChange?: (at: string | null) => void;
}

/** A moment to the minute, in the browser's zone. */
export function TimeField({ id, label, placeholder = label, value, onChange }: TimeFieldProps) {
  return (
    <DatePicker
      {...(id !== undefined && { id })}
      className="time-field"
      aria-label={label}
      placeholder={placeholder}
      format="YYYY-MM-DD HH:mm"
      showTime={{ format: 'HH:mm' }}
      value={value === null || value === undefined ? null : dayjs(value)}
      onChange={(time) => onChange?.(time === null ? null : time.toISOString())}
    />
  );
}
