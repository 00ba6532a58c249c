import { openConnection, toFailure } from './sqlite-connection.ts';
import type { AsideRequest, Reply } from './sqlite-message.ts';
import { createSqliteStatements } from './sqlite-statements.ts';

/** The body of a process that reads one thing: asked once, it answers and ends. */
process.once('message', ({ file, statement }: AsideRequest) => {
  process.send?.(answer(file, statement), () => process.disconnect?.());
});

function answer(file: string, statement: AsideRequest['statement']): Reply {
  try {
    const connection = openConnection({ file, role: 'reader' });
    const results = createSqliteStatements(connection).run('alone', [statement]);
    connection.close();
    return [0, results, undefined];
  } catch (error) {
    return [0, undefined, toFailure(file, error)];
  }
}
