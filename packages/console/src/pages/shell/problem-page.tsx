import { useRouter } from '@tanstack/react-router';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

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
