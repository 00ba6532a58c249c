import { Form, Tag } from 'antd';
import { useTranslation } from 'react-i18next';
import { OrganizationSelect } from '../../parts/forms/organization-select.tsx';
import { OrganizationName } from '../../parts/marks/organization-name.tsx';

/** The organizations whose messages a carrier takes. */
export function OrganizationsField() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="for_organization"
      label={t('carriers.settings.for_organization')}
      extra={t('carriers.hints.for_organization')}
    >
      <ChosenOrganizations />
    </Form.Item>
  );
}

interface ChosenOrganizationsProps {
  readonly id?: string;
  readonly value?: readonly string[];
  readonly onChange?: (value: readonly string[]) => void;
}

function ChosenOrganizations({ id, value = [], onChange }: ChosenOrganizationsProps) {
  const { t } = useTranslation();
  return (
    <div className="stack tight">
      <OrganizationSelect
        {...(id !== undefined && { id })}
        placeholder={t('carriers.addOrganization')}
        onChange={(chosen) => {
          if (chosen !== undefined) onChange?.([...new Set([...value, chosen])]);
        }}
      />
      {value.length > 0 && (
        <div className="row">
          {value.map((each) => (
            <Tag
              key={each}
              closable={{ 'aria-label': t('common.remove') }}
              onClose={(event) => {
                event.preventDefault();
                onChange?.(value.filter((other) => other !== each));
              }}
            >
              <OrganizationName organizationId={each} />
            </Tag>
          ))}
        </div>
      )}
    </div>
  );
}
