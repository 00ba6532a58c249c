import type { Operator } from '../accounts/operator.ts';
import type { Command } from './command.ts';
import { textFacts } from './text-table.ts';

const create: Command<{ readonly email: string }, Operator> = {
  name: 'operator create',
  summary: 'Record a person who runs this instance',
  options: { email: { type: 'string', required: true, value: 'ADDRESS', help: "The person's mail address" } },
  prepare: (args) => ({ email: args.required('email') }),
  run: (application, { email }, actor) => application.operators.create(actor, email),
  print: ({ id, email, created_at }) => textFacts({ id, email, created: created_at }),
};

export const operatorCommands: readonly Command[] = [create];
