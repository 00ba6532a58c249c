import type { Plugin } from 'vite';

const file = /@rc-component\/util\/es\/Dom\/dynamicCSS\.js$/;
const given = 'if (csp?.nonce) {\n    styleNode.nonce = csp?.nonce;\n  }';
const always = 'styleNode.nonce = csp?.nonce ?? document.querySelector(\'meta[property="csp-nonce"]\')?.nonce ?? "";';

/**
 * Gives the page's nonce to every style that antd's parts write. `ConfigProvider csp` reaches the component styles, but
 * neither the lock of the page's scroll bar behind a dialog nor the measuring of a table's (@rc-component/portal
 * useScrollLocker, @rc-component/util getScrollBarSize): our policy would refuse those.
 */
export function nonceForStyles(): Plugin {
  return {
    name: 'nonce-for-styles',
    transform(code, id) {
      if (!file.test(id)) return undefined;
      if (!code.includes(given)) throw new Error(`${id} is not what it was: look at how it sets the nonce of styles`);
      return { code: code.replace(given, always), map: null };
    },
  };
}
