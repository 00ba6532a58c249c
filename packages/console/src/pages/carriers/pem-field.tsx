import { FileTextOutlined } from '@ant-design/icons';
import { Button, Form, type FormItemProps, Input, Upload } from 'antd';
import { useTranslation } from 'react-i18next';

interface PemFieldProps {
  readonly name: 'tls_ca' | 'tls_certificate' | 'tls_key';
  readonly hint: string;
  /** The word after BEGIN. */
  readonly holds: 'CERTIFICATE' | 'PRIVATE KEY';
  readonly rules?: NonNullable<FormItemProps['rules']>;
}

/** Text in PEM, pasted or read from a file. Nothing is uploaded before the form is saved. */
export function PemField({ name, hint, holds, rules = [] }: PemFieldProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  async function read(file: Blob): Promise<typeof Upload.LIST_IGNORE> {
    form.setFieldValue(name, await file.text());
    void form.validateFields([name]).catch(() => undefined);
    return Upload.LIST_IGNORE;
  }
  return (
    <div>
      <Form.Item
        name={name}
        label={t(`carriers.settings.${name}`)}
        extra={hint}
        rules={[{ pattern: new RegExp(`-----BEGIN [A-Z ]*${holds}-----`), message: t('carriers.pemForm') }, ...rules]}
      >
        <Input.TextArea className="mono" rows={3} maxLength={100_000} autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Upload showUploadList={false} beforeUpload={(file) => read(file)}>
        <Button
          size="small"
          icon={<FileTextOutlined />}
          aria-label={t('carriers.fromFileNamed', { name: t(`carriers.settings.${name}`) })}
        >
          {t('carriers.fromFile')}
        </Button>
      </Upload>
    </div>
  );
}
