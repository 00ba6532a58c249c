import { BulbOutlined, GlobalOutlined } from '@ant-design/icons';
import { Button, Dropdown } from 'antd';
import { useTranslation } from 'react-i18next';
import { type Language, languageNames, languages } from '../../i18n/language.ts';
import { type ColorScheme, usePreferences } from '../../parts/text/preferences.tsx';

export function PreferenceMenus() {
  const { t } = useTranslation();
  const { language, colorScheme, setLanguage, setColorScheme } = usePreferences();
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          items: languages.map((each) => ({ key: each, label: <span lang={each}>{languageNames[each]}</span> })),
          selectable: true,
          selectedKeys: [language],
          onClick: ({ key }) => setLanguage(key as Language),
        }}
      >
        <Button
          type="text"
          icon={<GlobalOutlined />}
          aria-label={t('shell.languageNamed', { name: languageNames[language] })}
        >
          <span className="wide-only">{languageNames[language]}</span>
        </Button>
      </Dropdown>
      <Dropdown
        trigger={['click']}
        menu={{
          items: (['system', 'light', 'dark'] as const).map((each) => ({
            key: each,
            label: t(`shell.scheme.${each}`),
          })),
          selectable: true,
          selectedKeys: [colorScheme],
          onClick: ({ key }) => setColorScheme(key as ColorScheme),
        }}
      >
        <Button type="text" icon={<BulbOutlined />} aria-label={t('shell.colorScheme')} />
      </Dropdown>
    </>
  );
}
