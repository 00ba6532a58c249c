import type { ReactNode } from 'react';
import { useEffect } from 'react';

interface PageHeadProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Shown beside the title. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
}

/** The title of a page, with its actions. It names the browser's tab as well. */
export function PageHead({ title, lead, beside, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Waxwing`;
  }, [title]);
  return (
    <div className="page-head">
      <div className="grow">
        <div className="row">
          <h1>{title}</h1>
          {beside}
        </div>
        {lead !== undefined && <p className="lead">{lead}</p>}
      </div>
      {actions !== undefined && <div className="row end">{actions}</div>}
    </div>
  );
}
