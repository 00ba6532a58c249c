import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { PreferenceMenus } from '../shell/preference-menus.tsx';

/** A page for people who are not signed in: one card in the middle. */
export function SignedOutPage({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Waxwing`;
  }, [title]);
  return (
    <div className="signed-out">
      <div className="signed-out-top">
        <PreferenceMenus />
      </div>
      <main className="signed-out-middle">
        <div className="signed-out-card">
          <div className="brand">
            <img src="/console/mark.svg" alt="" />
            Waxwing
          </div>
          <h1>{title}</h1>
          {lead !== undefined && <p className="lead">{lead}</p>}
          {children}
        </div>
      </main>
    </div>
  );
}
