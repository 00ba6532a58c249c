import { FileTextOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { sendByHand } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { App, Button, Form, Input, Upload } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { onlyWhoMay } from '../../parts/dialogs/only-who-may.tsx';
import { useKeptDraft } from '../../parts/forms/use-kept-draft.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { numbersInFile } from './numbers-in-file.ts';
import { SegmentPreview } from './segment-preview.tsx';
import { mostNumbers, numberAt, typedNumbers } from './typed-numbers.ts';

const route = getRouteApi('/frame/o/$organizationId/messages/send');

interface Values {
  readonly mobiles: string;
  readonly content: string;
  readonly sender?: string;
}

/** Sends a message by hand, then shows its timeline or its batch. */
export const SendPage = onlyWhoMay(sendByHand, SendForm);

function SendForm() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const draft = useKeptDraft(form);
  const typed = typedNumbers(Form.useWatch('mobiles', form) ?? '');
  const content = Form.useWatch('content', form) ?? '';
  const sending = useChange(sendByHand);
  const sent = sending.variables?.body;
  const wrong = numberAt(sent !== undefined && 'mobiles' in sent ? sent.mobiles : [], sending.error?.field);

  /** Adds the numbers of a file to those in the field. @returns that nothing is uploaded */
  async function readFile(file: Blob): Promise<typeof Upload.LIST_IGNORE> {
    const found = numbersInFile(await file.text());
    const all = [...new Set([...typedNumbers(form.getFieldValue('mobiles') ?? ''), ...found])];
    form.setFieldValue('mobiles', all.join('\n'));
    void form.validateFields(['mobiles']).catch(() => undefined);
    message.info(t('messaging.send.foundInFile', { count: found.length }));
    return Upload.LIST_IGNORE;
  }

  function send({ mobiles, content, sender = '' }: Values): void {
    const numbers = typedNumbers(mobiles);
    const body = { mobiles: [...numbers], content, ...(sender.trim() !== '' && { sender: sender.trim() }) };
    sending.mutate(
      { params: { organization_id: organizationId }, body },
      {
        onSuccess: ({ batch_id: batchId }) =>
          void navigate(
            numbers.length === 1
              ? {
                  to: '/o/$organizationId/messages/$batchId/$position',
                  params: { organizationId, batchId, position: '0' },
                }
              : { to: '/o/$organizationId/messages/$batchId', params: { organizationId, batchId } },
          ),
      },
    );
  }

  return (
    <>
      <PageHead title={t('messaging.send.title')} lead={t('messaging.send.lead')} />
      <div className="beside">
        <Form<Values> form={form} layout="vertical" className="panel" initialValues={draft} onFinish={send}>
          {sending.error !== null && (
            <Form.Item>
              <ProblemAlert error={sending.error} />
            </Form.Item>
          )}
          <Form.Item
            name="mobiles"
            label={t('messaging.send.mobiles')}
            {...(wrong !== undefined && {
              validateStatus: 'error',
              help: t('messaging.send.wrongNumber', { number: wrong }),
            })}
            extra={
              <span className="figures">
                {t('messaging.send.mobilesHint')}{' '}
                {typed.length > 0 && t('messaging.send.mobilesCount', { count: typed.length })}
              </span>
            }
            rules={[
              { required: true, whitespace: true },
              {
                validator: async (_rule, text = '') => {
                  if (typedNumbers(text).length > mostNumbers) throw new Error();
                },
                message: t('messaging.send.tooMany', { count: mostNumbers }),
              },
            ]}
          >
            <Input.TextArea autoFocus rows={3} placeholder="+8613800138000" />
          </Form.Item>
          <Form.Item>
            <Upload
              accept=".txt,.csv,text/plain,text/csv"
              showUploadList={false}
              beforeUpload={(file) => readFile(file)}
            >
              <Button icon={<FileTextOutlined />}>{t('messaging.send.fromFile')}</Button>
            </Upload>
          </Form.Item>
          <Form.Item name="content" label={t('messaging.send.content')} rules={[{ required: true }]}>
            <Input.TextArea rows={6} />
          </Form.Item>
          <Form.Item name="sender" label={t('messaging.send.sender')} extra={t('messaging.send.senderHint')}>
            <Input maxLength={21} />
          </Form.Item>
          <div className="row end">
            <Button onClick={() => void navigate({ to: '/o/$organizationId/messages', params: { organizationId } })}>
              {t('common.cancel')}
            </Button>
            <Button type="primary" htmlType="submit" loading={sending.isPending}>
              {t('messaging.send.submit')}
            </Button>
          </div>
        </Form>
        <SegmentPreview organizationId={organizationId} content={content} />
      </div>
    </>
  );
}
