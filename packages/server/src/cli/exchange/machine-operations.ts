/** What only the command line on the machine may ask for: served on the socket and inline, and nowhere else. */
import { operationsOf } from '@waxwing/contract/management-api/operation-declaration.ts';
import { closed } from '@waxwing/contract/management-api/shared-schemas.ts';
import Type from 'typebox';

const operation = operationsOf('machine');
/** No role but an operator's suffices; keys and sessions never come here. */
const action = 'instance.read';

export const writeBackup = operation({
  id: 'writeBackup',
  method: 'POST',
  path: '/machine/backups',
  summary: 'Write a consistent copy of the embedded database to a file',
  action,
  body: Type.Object({ file: Type.String({ minLength: 1 }) }, closed),
  answer: {
    status: 201,
    schema: Type.Object(
      {
        file: Type.String({ description: 'An absolute path on the machine of the database.' }),
        bytes: Type.Integer(),
        key_id: Type.String({ description: 'A copy of the key file that holds this key opens the backup.' }),
        recorded: Type.Boolean({ description: 'Whether the audit trail, and the copy, tell who asked for it.' }),
      },
      closed,
    ),
  },
});

export const rotateMasterKey = operation({
  id: 'rotateMasterKey',
  method: 'POST',
  path: '/machine/master-key-rotations',
  summary: 'Make a new master key and wrap every secret by it',
  action,
  answer: {
    status: 201,
    schema: Type.Object({ key_id: Type.String(), rewrapped: Type.Integer(), resumed: Type.Boolean() }, closed),
  },
});

export const machineOperations = [writeBackup, rotateMasterKey] as const;
