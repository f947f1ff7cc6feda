/** The floor of a run: a workflow that does one activity. */
const { proxyActivities } = require('@temporalio/workflow');

const { nothing } = proxyActivities({ startToCloseTimeout: '10 seconds' });

exports.oneActivity = async () => {
  await nothing();
};
