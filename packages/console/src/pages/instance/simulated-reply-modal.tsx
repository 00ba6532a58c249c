import { replyBySimulator } from '@waxwing/contract/management-api/carrier-operations.ts';
import { App, Form, Input, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

interface Values {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** A reply as if somebody had written from a phone; nothing leaves the simulator. */
export function SimulatedReplyModal({ onEnd }: { readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const replying = useChange(replyBySimulator, ['messages']);
  const required = { required: true, whitespace: true, message: t('common.required') };
  return (
    <Modal
      open
      width={520}
      title={t('carriers.reply.button')}
      okText={t('carriers.reply.submit')}
      confirmLoading={replying.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <div className="stack">
        <p className="quiet">{t('carriers.reply.what')}</p>
        {replying.error !== null && <ProblemAlert error={replying.error} />}
        <Form<Values>
          form={form}
          name="simulated-reply"
          layout="vertical"
          requiredMark={false}
          onFinish={({ from, to, text }) =>
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
        >
          <Form.Item
            name="from"
            label={t('carriers.reply.from')}
            rules={[required, { pattern: /^\s*\+[1-9][0-9]{3,14}\s*$/, message: t('carriers.reply.fromForm') }]}
          >
            <Input autoFocus autoComplete="off" placeholder="+8613800138000" />
          </Form.Item>
          <Form.Item name="to" label={t('carriers.reply.to')} extra={t('carriers.reply.toHint')} rules={[required]}>
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
        </Form>
      </div>
    </Modal>
  );
}
