import { ReloadOutlined } from '@ant-design/icons';
import { resendPushes } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

interface SelectedPushesProps {
  readonly organizationId: string;
  readonly selected: readonly string[];
  readonly onClear: () => void;
  /** All that are shown and can be sent again. */
  readonly onSelectAll: () => void;
}

/** As many as the operation takes at once. */
const mostAtOnce = 200;

export function SelectedPushes({ organizationId, selected, onClear, onSelectAll }: SelectedPushesProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const resending = useChange(resendPushes);
  if (selected.length === 0 && resending.error === null) return null;

  async function resend(): Promise<void> {
    let [resent, left] = [0, 0];
    for (let first = 0; first < selected.length; first += mostAtOnce) {
      const push_ids = selected.slice(first, first + mostAtOnce);
      const answer = await resending.mutateAsync({ params: { organization_id: organizationId }, body: { push_ids } });
      resent += answer.resent.length;
      left += answer.left.length;
    }
    if (resent > 0) void message.success(t('push.resend.done', { count: resent }));
    if (left > 0) void message.warning(t('push.resend.left', { count: left }));
    onClear();
  }

  return (
    <>
      <ProblemAlert error={resending.error} />
      {selected.length > 0 && (
        <div className="row push-selected">
          <strong className="figures" role="status">
            {t('push.list.selected', { count: selected.length })}
          </strong>
          <Button
            type="primary"
            size="small"
            icon={<ReloadOutlined />}
            loading={resending.isPending}
            // The error is shown above.
            onClick={() => void resend().catch(() => undefined)}
          >
            {t('push.list.resendSelected')}
          </Button>
          <Button size="small" onClick={onSelectAll}>
            {t('push.list.selectAll')}
          </Button>
          <Button size="small" onClick={onClear}>
            {t('push.list.clearSelection')}
          </Button>
        </div>
      )}
    </>
  );
}
