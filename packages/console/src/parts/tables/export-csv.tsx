import { CloseOutlined, DownloadOutlined } from '@ant-design/icons';
import { App, Button, Space } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiProblem } from '../../api/api-problem.ts';
import { problemSentence } from '../text/problem-texts.ts';
import { saveFile } from '../text/save-file.ts';
import { byteOrderMark, csvLine } from './csv.ts';

export interface ExportCsvProps<Item> {
  /** Without its ending. */
  readonly fileName: string;
  readonly columns: readonly (readonly [head: string, cell: (item: Item) => string | number | null])[];
  /** Exported whole, as far as the filters let it through, not only the part that the table has loaded. */
  readonly pages: { readonly every: (signal: AbortSignal) => AsyncIterable<Item> };
}

export function ExportCsv<Item>({ fileName, columns, pages }: ExportCsvProps<Item>) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const [count, setCount] = useState<number>();
  const underWay = useRef<AbortController>(undefined);
  const exportButton = useRef<HTMLButtonElement>(null);
  const stopButton = useRef<HTMLButtonElement>(null);
  // Leaving the page stops the export.
  useEffect(() => () => underWay.current?.abort(), []);

  async function save(): Promise<void> {
    const current = new AbortController();
    const { signal } = current;
    underWay.current = current;
    setCount(0);
    try {
      const lines = [byteOrderMark, csvLine(columns.map(([head]) => head))];
      for await (const item of pages.every(signal)) {
        lines.push(csvLine(columns.map(([, cell]) => cell(item))));
        if (lines.length % 200 === 0) setCount(lines.length);
      }
      saveFile(`${fileName}.csv`, lines, 'text/csv;charset=utf-8');
    } catch (error) {
      if (!signal.aborted) message.error(problemSentence(i18n, toApiProblem(error)));
    } finally {
      // The button disappears now, and the focus would be lost with it.
      if (document.activeElement === stopButton.current) exportButton.current?.focus();
      setCount(undefined);
    }
  }

  // The button stays in place, so that it keeps the focus.
  return (
    <Space.Compact>
      <Button ref={exportButton} icon={<DownloadOutlined />} loading={count !== undefined} onClick={() => void save()}>
        {count === undefined || count === 0 ? t('common.exportCsv') : t('common.exporting', { count })}
      </Button>
      {count !== undefined && (
        <Button
          ref={stopButton}
          icon={<CloseOutlined />}
          aria-label={t('common.stopExport')}
          onClick={() => underWay.current?.abort()}
        />
      )}
    </Space.Compact>
  );
}
