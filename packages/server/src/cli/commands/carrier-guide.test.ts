import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { alphabets, longForms, receiptIdForms } from '@waxwing/contract/management-api/carrier-settings.ts';
import { carrierFacts } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { carrierCommands } from './carrier-commands.ts';

const guide = readFileSync(new URL('../../../../../docs/guides/carriers.md', import.meta.url), 'utf8');

test('the guide on carriers names every option of their commands', () => {
  const options = carrierCommands
    .flatMap((command) => Object.keys(command.options ?? {}))
    .filter((name) => name !== 'yes');
  assert.ok(options.length > 30);
  for (const option of options) assert.match(guide, new RegExp(`\`--${option}[\` ]`), option);
});

test('the guide on carriers has a row for every value of a choice, and for every state', () => {
  const states = carrierFacts.state.enum;
  for (const value of [...alphabets, ...longForms, ...receiptIdForms, ...states, 'resend', 'give-up']) {
    assert.match(guide, new RegExp(`^\\| \`${value}\` \\|`, 'm'), value);
  }
});
