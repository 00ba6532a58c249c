import { ReloadOutlined } from '@ant-design/icons';
import { resendPush } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { Push } from '../../api/shown-pushes.ts';
import { problemTexts } from '../../parts/text/problem-texts.ts';

interface ResendButtonProps {
  readonly organizationId: string;
  readonly push: Push;
  readonly size?: 'small';
}

/** Sends one push that has ended again. */
export function ResendButton({ organizationId, push, size }: ResendButtonProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const resending = useChange(resendPush);
  return (
    <Button
      {...(size !== undefined && { size })}
      icon={<ReloadOutlined />}
      aria-label={t('push.resend.oneNamed', { mobile: push.parameters.mobile })}
      loading={resending.isPending}
      onClick={() =>
        resending.mutate(
          { params: { organization_id: organizationId, push_id: push.id } },
          {
            onSuccess: () => void message.success(t('push.resend.done', { count: 1 })),
            onError: (problem) => {
              const { title, words } = problemTexts(i18n, problem);
              void message.error(words === '' ? title : `${title}: ${words}`);
            },
          },
        )
      }
    >
      {t('push.resend.one')}
    </Button>
  );
}
