import { Empty } from 'antd';
import type { ReactNode } from 'react';

/** Nothing here yet: why, and the button that changes it. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="panel">
      <Empty
        image={Empty.PRESENTED_IMAGE_SIMPLE}
        description={
          <div className="stack tight">
            <strong>{title}</strong>
            {children !== undefined && <span className="quiet">{children}</span>}
          </div>
        }
      >
        {action}
      </Empty>
    </div>
  );
}
