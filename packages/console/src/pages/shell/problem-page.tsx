import { useRouter } from '@tanstack/react-router';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

/** In place of a page that could not be made. */
export function ProblemPage({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="shell-main">
      <ProblemAlert error={error} onRetry={again} />
    </div>
  );
}
