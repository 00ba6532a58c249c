import { Switch } from 'antd';
import { useId } from 'react';

interface SwitchRowProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly mayChange: boolean;
  readonly isPending: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** One setting that is on or off, with what that means. */
export function SwitchRow({ label, hint, isOn, mayChange, isPending, onChange }: SwitchRowProps) {
  const labelId = useId();
  return (
    <div className="settings-row">
      <div>
        <div id={labelId}>{label}</div>
        <div className="quiet small">{hint}</div>
      </div>
      <Switch aria-labelledby={labelId} checked={isOn} disabled={!mayChange} loading={isPending} onChange={onChange} />
    </div>
  );
}
