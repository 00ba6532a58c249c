import { Drawer } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface NavigationDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The navigation in a narrow window. */
export function NavigationDrawer({ isOpen, onClose, children }: NavigationDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      open={isOpen}
      placement="left"
      size={264}
      closable={false}
      onClose={onClose}
      styles={{ body: { padding: 0 } }}
      aria-label={t('shell.navigation')}
    >
      {children}
    </Drawer>
  );
}
