import { type ThemeConfig, theme } from 'antd';

/** A waxwing's colours: warm grey-brown plumage, the wing's drops of red wax, the tail's yellow tip. */
const plumage = { brown: '#7a5844', brownOnDark: '#b98b6c', wax: '#b8322a', tip: '#f2b632' } as const;

const shared: ThemeConfig['token'] = {
  borderRadius: 6,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyCode: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace',
  wireframe: false,
  // The words of a button that waits for its answer stay as readable as before; the turning mark tells that it waits.
  opacityLoading: 1,
};

const components: ThemeConfig['components'] = {
  Table: { cellPaddingBlockMD: 9, cellPaddingInlineMD: 12, headerSplitColor: 'transparent' },
  Menu: { itemHeight: 36, itemBorderRadius: 6, iconMarginInlineEnd: 10 },
  Layout: { headerHeight: 52, headerPadding: '0 20px' },
};

const light: ThemeConfig = {
  algorithm: theme.defaultAlgorithm,
  token: {
    ...shared,
    colorPrimary: plumage.brown,
    colorLink: '#8a4b2a',
    colorLinkHover: '#6d381d',
    colorLinkActive: '#572b14',
    colorInfo: '#4d6d8a',
    colorSuccess: '#3f7a3a',
    colorSuccessBg: '#eaf2e8',
    colorSuccessBorder: '#bcd5b8',
    colorWarning: '#b57600',
    colorError: '#b3261e',
    colorTextBase: '#2b2320',
    colorBgLayout: '#f7f4f0',
    colorBorderSecondary: '#ebe5de',
    colorTextDescription: '#6b5f58',
    colorTextTertiary: '#6f645d',
    colorTextPlaceholder: '#776c64',
    controlItemBgActive: '#f0e7de',
    controlItemBgActiveHover: '#eadfd4',
  },
  components: {
    ...components,
    Layout: { ...components.Layout, siderBg: '#fdfcfa', headerBg: '#fdfcfa', lightSiderBg: '#fdfcfa' },
    Menu: {
      ...components.Menu,
      itemBg: 'transparent',
      itemSelectedBg: '#f0e7de',
      itemSelectedColor: '#5a3d2d',
      itemHoverBg: '#f5efe8',
    },
    Dropdown: { colorPrimary: '#5a3d2d' },
    Table: {
      ...components.Table,
      headerBg: '#faf7f3',
      rowHoverBg: '#fbf8f4',
      rowSelectedBg: '#f6eee6',
      rowSelectedHoverBg: '#f3e9df',
    },
  },
};

const dark: ThemeConfig = {
  algorithm: theme.darkAlgorithm,
  token: {
    ...shared,
    colorPrimary: '#a5765a',
    colorLink: '#dba980',
    // antd derives a darker colour, which is too faint here.
    colorLinkHover: '#f0cfb4',
    colorLinkActive: '#c8966d',
    colorInfo: '#7ba0c0',
    colorSuccess: '#6fb065',
    colorWarning: '#d99a2b',
    colorError: '#e5695f',
    colorTextBase: '#f3ece6',
    colorBgBase: '#171412',
    colorBgLayout: '#131110',
    colorBgContainer: '#1d1917',
    colorBgElevated: '#272120',
    colorBorder: '#4a3f38',
    colorBorderSecondary: '#332c27',
    colorSplit: '#332c27',
    colorTextDescription: '#b0a59c',
    colorTextTertiary: '#a99e95',
    colorTextPlaceholder: '#9b9088',
    controlItemBgActive: '#372a22',
    controlItemBgActiveHover: '#40312a',
  },
  components: {
    ...components,
    Layout: { ...components.Layout, siderBg: '#1b1816', headerBg: '#1b1816', lightSiderBg: '#1b1816' },
    Menu: {
      ...components.Menu,
      itemBg: 'transparent',
      itemSelectedBg: '#372a22',
      itemSelectedColor: '#f0cfb4',
      itemHoverBg: '#26201c',
    },
    // White on the lighter brown would be too faint to read.
    Button: {
      primaryColor: '#1b1310',
      dangerColor: '#1b1310',
      colorPrimary: plumage.brownOnDark,
      colorPrimaryHover: '#c99d7f',
      colorPrimaryActive: '#a67b5d',
      colorError: '#f2938a',
      colorErrorHover: '#f7aea7',
      colorErrorActive: '#e07d74',
    },
    // As in the navigation: the primary colour is too faint for words on its own tint.
    Dropdown: { colorPrimary: '#f0cfb4' },
    // The errors of fields are text on the panel.
    Form: { colorError: '#f2938a' },
    Tabs: { itemSelectedColor: '#e0b393', itemHoverColor: '#f0cfb4', inkBarColor: plumage.brownOnDark },
    Table: {
      ...components.Table,
      headerBg: '#1f1b19',
      rowHoverBg: '#221e1b',
      rowSelectedBg: '#2c231d',
      rowSelectedHoverBg: '#322821',
    },
  },
};

export function themeFor(isDark: boolean, isStill: boolean): ThemeConfig {
  const chosen = isDark ? dark : light;
  return { ...chosen, token: { ...chosen.token, motion: !isStill } };
}
