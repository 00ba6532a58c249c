import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { App, ConfigProvider } from 'antd';
import type { Locale } from 'antd/es/locale';
import antdEnglish from 'antd/es/locale/en_US';
import antdChinese from 'antd/es/locale/zh_CN';
import { useTranslation } from 'react-i18next';
import { ApiProvider } from './api/api-context.tsx';
import { createApi, newIdempotencyKey } from './api/call.ts';
import { meQuery } from './api/me.ts';
import { createQueryClient } from './api/query-client.ts';
import { type Language, showIn } from './i18n/language.ts';
import { createFreshProof } from './parts/dialogs/asked-proof.ts';
import { FreshProofDialog } from './parts/dialogs/fresh-proof.tsx';
import { keepDraft } from './parts/forms/kept-draft.ts';
import { firstLanguage, PreferencesProvider, usePreferences } from './parts/text/preferences.tsx';
import { createConsoleRouter } from './router.ts';
import { themeFor } from './theme.ts';

const proof = createFreshProof();

const queryClient = createQueryClient();

const api = createApi({
  fetch: (...request) => fetch(...request),
  reauthenticate: proof.ask,
  onSignedOut: () => leaveToSignIn(),
  newKey: newIdempotencyKey,
  now: Date.now,
});

const router = createConsoleRouter({ api, queryClient });
// Nearly every page needs the texts and the person first, so both are requested before anything is drawn.
void showIn(firstLanguage());
if (!isForStrangers(router.latestLocation.pathname)) void queryClient.prefetchQuery(meQuery(api));

function isForStrangers(pathname: string): boolean {
  return pathname === '/sign-in' || pathname === '/welcome';
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** The session has ended. Its data is removed, and signing in again leads back to this page. */
function leaveToSignIn(): void {
  proof.withdraw();
  const { pathname, href } = router.state.location;
  if (isForStrangers(pathname)) return;
  const me = queryClient.getQueryData(meQuery(api).queryKey);
  keepDraft(me?.id);
  queryClient.clear();
  const search = { next: href, ...(me !== undefined && ({ ended: true } as const)) };
  // No page may ask whether to stay.
  void router.navigate({ to: '/sign-in', search, ignoreBlocker: true });
}

export function ConsoleApp() {
  return (
    <PreferencesProvider>
      <Themed />
    </PreferencesProvider>
  );
}

/** The nonce of this answer of the server: styles that are written at run time carry it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** antd's own texts. It always loads the English ones, and the Chinese ones are 2 kB. */
const antdLocales: Readonly<Record<Language, Locale>> = { 'zh-CN': antdChinese, en: antdEnglish };

function Themed() {
  const { t } = useTranslation();
  const { language, isDark, isStill } = usePreferences();
  return (
    <ConfigProvider
      locale={antdLocales[language]}
      theme={themeFor(isDark, isStill)}
      csp={{ nonce }}
      button={{ autoInsertSpace: false }}
      form={{
        requiredMark: false,
        validateMessages: { required: t('common.required'), whitespace: t('common.required') },
      }}
    >
      <App>
        <QueryClientProvider client={queryClient}>
          <ApiProvider value={api}>
            <FreshProofDialog proof={proof}>
              <RouterProvider router={router} />
            </FreshProofDialog>
          </ApiProvider>
        </QueryClientProvider>
      </App>
    </ConfigProvider>
  );
}
