import { Form, Modal } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemAlert } from './problem-alert.tsx';

export interface FormModalProps<Values extends object> {
  readonly title: ReactNode;
  /** What it is about, in a sentence or two. */
  readonly lead?: ReactNode;
  /** Of the form, where its fields need ids of their own: another form of the page has fields of the same names. */
  readonly name?: string;
  /** What the button says; "Save" when left out. */
  readonly submit?: string;
  readonly width: number;
  readonly initialValues?: Partial<Values>;
  /** What stores it, as `useChange` gives it. */
  readonly saving: { readonly error: unknown; readonly isPending: boolean };
  readonly onSave: (values: Values) => void;
  readonly onEnd: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** A few fields in a dialog. What is edited is what it was when the dialog opened, though what stands behind may go on. */
export function FormModal<Values extends object>(props: FormModalProps<Values>) {
  const { t } = useTranslation();
  const { title, lead, name, submit = t('common.save'), width, initialValues } = props;
  const { saving, onSave, onEnd, children } = props;
  const [form] = Form.useForm<Values>();
  const [openedWith] = useState(initialValues);
  return (
    <Modal
      open
      width={width}
      title={title}
      okText={submit}
      cancelText={t('common.cancel')}
      confirmLoading={saving.isPending}
      onOk={form.submit}
      onCancel={onEnd}
    >
      <Form<Values>
        form={form}
        {...(name !== undefined && { name })}
        layout="vertical"
        requiredMark={false}
        {...(openedWith !== undefined && { initialValues: openedWith })}
        onFinish={onSave}
      >
        <div className="stack">
          {lead !== undefined && <p className="quiet">{lead}</p>}
          {saving.error !== null && <ProblemAlert error={saving.error} />}
          {children}
        </div>
      </Form>
    </Modal>
  );
}
