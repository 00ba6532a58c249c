import { replyBySimulator } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { App, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { TextField } from '../../parts/forms/text-field.tsx';

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
      <TextField
        autoFocus
        name="from"
        label={t('carriers.reply.from')}
        rules={[{ pattern: /^\s*\+[1-9][0-9]{3,14}\s*$/, message: t('carriers.phoneForm') }]}
        placeholder="+8613800138000"
      />
      <TextField
        name="to"
        label={t('carriers.reply.to')}
        hint={t('carriers.reply.toHint')}
        maxLength={20}
        placeholder="1069001"
      />
      <Form.Item
        name="text"
        label={t('messaging.send.content')}
        extra={t('carriers.reply.textHint')}
        rules={[{ required: true, whitespace: true }]}
      >
        <Input.TextArea rows={3} maxLength={2000} />
      </Form.Item>
    </FormModal>
  );
}
