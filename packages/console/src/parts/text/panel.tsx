import { type ReactNode, useId } from 'react';

interface PanelProps {
  readonly title: string;
  readonly mark?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a page, with what can be done in it beside its title. */
export function Panel({ title, mark, actions, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel stack tight" aria-labelledby={id}>
      <div className="row">
        <h2 id={id} className="panel-title grow">
          {title} {mark}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
