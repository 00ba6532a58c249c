import { replyBySimulator } from '@waxwing/contract/management-api/carrier-operations.ts';
import { App, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/form-modal.tsx';

interface Values {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** A reply as if somebody had written from a phone; nothing leaves the simulator. */
export function SimulatedReplyModal({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const replying = useChange(replyBySimulator, ['messaging']);
  const required = { required: true, whitespace: true, message: t('common.required') };
  return (
    <FormModal<Values>
      title={t('carriers.reply.button')}
      lead={t('carriers.reply.what')}
      name="simulated-reply"
      submit={t('carriers.reply.submit')}
      width={520}
      saving={replying}
      onSave={({ from, to, text }) =>
        replying.mutate(
          { body: { from: from.trim(), to: to.trim(), text } },
          {
            onSuccess: () => {
              onEnd();
              message.success(t('carriers.reply.done'));
            },
          },
        )
      }
      onEnd={onEnd}
    >
      <Form.Item
        name="from"
        label={t('carriers.reply.from')}
        rules={[required, { pattern: /^\s*\+[1-9][0-9]{3,14}\s*$/, message: t('carriers.reply.fromForm') }]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoFocus autoComplete="off" placeholder="+8613800138000" />
      </Form.Item>
      <Form.Item
        name="to"
        label={t('carriers.reply.to')}
        extra={t('carriers.reply.toHint')}
        rules={[required]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input autoComplete="off" maxLength={20} placeholder="1069001" />
      </Form.Item>
      <Form.Item
        name="text"
        label={t('carriers.reply.text')}
        extra={t('carriers.reply.textHint')}
        rules={[required]}
        style={{ marginBlockEnd: 0 }}
      >
        <Input.TextArea rows={3} maxLength={2000} />
      </Form.Item>
    </FormModal>
  );
}
