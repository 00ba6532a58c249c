import type { ReactNode } from 'react';
import './carriers.css';

interface FieldGroupProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

/** Fields that belong together, beside each other where there is room. */
export function FieldGroup({ title, lead, children }: FieldGroupProps) {
  return (
    <fieldset className="choices">
      <legend className="panel-title">{title}</legend>
      {lead !== undefined && <p className="quiet small carrier-lead">{lead}</p>}
      <div className="carrier-fields">{children}</div>
    </fieldset>
  );
}
